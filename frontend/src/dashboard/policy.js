// Trusted Types: htmx may parse HTML of our server; code made of strings is refused, because no rule here allows it.
window.trustedTypes?.createPolicy("default", { createHTML: (html) => html });
