// The way to a person: the conversation goes along, and what happens next is said.
import { element } from "./nodes.js";

export class PersonForm {
  constructor(panel) {
    this.panel = panel;
    const { texts, conversation } = panel;
    this.fields = {
      email: element("input", { type: "email", name: "email", required: true, autocomplete: "email", maxlength: "254", dir: "ltr" }),
      name: element("input", { type: "text", name: "name", autocomplete: "name", maxlength: "200", dir: "auto" }),
      message: element("textarea", { name: "message", rows: "4", maxlength: "1900", dir: "auto" }),
    };
    this.first = this.fields.email;
    const label = ([name, field]) => element("label", {}, element("span", {}, texts[name], field.required ? "" : element("small", {}, ` (${texts.optional})`)), field);
    const hint = element("p", { class: "hint" }, texts.personHint, conversation.id ? ` ${texts.personLog}` : "");
    this.problem = element("p", { class: "failure", role: "alert" });
    this.sending = element("button", { class: "first" }, texts.send);
    const parts = [element("h3", {}, texts.person), hint, Object.entries(this.fields).map(label), this.problem, this.sending];
    this.node = element("form", { class: "person", submit: (event) => this.submit(event) }, parts);
  }

  async submit(event) {
    event.preventDefault();
    if (this.isSending) return;
    const { panel } = this;
    this.isSending = true;
    this.problem.textContent = "";
    try {
      await this.send();
    } catch ({ textName = "broken" }) {
      this.problem.textContent = panel.texts[textName === "offline" ? "unsent" : textName];
      return;
    } finally {
      this.isSending = false;
    }
    this.thank();
    panel.widget.tell("person");
  }

  /** With the conversation for the first time; what comes later is one more message of it. */
  async send() {
    const { api, conversation } = this.panel;
    const values = Object.fromEntries(Object.entries(this.fields).map(([name, { value }]) => [name, value.trim()]));
    const { id, isWithPerson } = conversation;
    if (!id || isWithPerson) return api.send("/leads", { ...values, conversationId: id });
    await api.send(`/chat/${id}/escalate`, { email: values.email, message: [values.name, values.message].filter(Boolean).join("\n\n") });
    conversation.isWithPerson = true;
  }

  thank() {
    const { panel, fields, node } = this;
    const { texts } = panel;
    const next = texts.sentTo.replace("{email}", fields.email.value.trim());
    panel.personForm = undefined;
    const words = `${texts.sent} ${next}`;
    node.replaceWith(element("div", { class: "person" }, element("h3", {}, texts.thanks), element("p", { class: "thanks" }, words)));
    panel.back.focus();
    panel.announce(words);
  }
}
