// A customer's TypeScript calls the widget, and the types refuse invalid calls.

Instep("open");
Instep("close", { bot: "0190163d-8694-439b-aea5-966c26f8ad91" });
Instep("ask", "How do I invite people?");
Instep("identify", "token");
Instep("update", { pageUrl: "https://app.acme.example/team" });
const end = Instep("on", "answer", ({ answered }) => console.log(answered ? "answered" : "declined"));
end?.();
Instep("on", "error", ({ status }) => console.log(status.toFixed()));
Instep("on", "open", () => console.log("open"));
window.Instep?.("reset");
Instep("destroy");
document.createElement("instep-help").hidden = true;

// @ts-expect-error There is no such command.
Instep("fly");
// @ts-expect-error There is no such event.
Instep("on", "anything", () => {});
// @ts-expect-error A question has words.
Instep("ask");
// @ts-expect-error No event tells what was asked.
Instep("on", "answer", ({ question }) => console.log(question));

export {};
