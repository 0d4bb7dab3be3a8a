// The way to a person: the conversation goes along, and what happens next is said.
import { button, element } from "./nodes.js";

export class PersonForm {
  constructor(panel) {
    this.panel = panel;
    const { texts } = panel;
    this.fields = {
      email: element("input", { type: "email", name: "email", required: true, autocomplete: "email", maxlength: "254" }),
      name: element("input", { type: "text", name: "name", autocomplete: "name", maxlength: "200" }),
      message: element("textarea", { name: "message", rows: "4", maxlength: "4000" }),
    };
    const labelled = Object.entries(this.fields).map(([name, field]) => element("label", {}, texts[name], field));
    this.problem = element("p", { class: "failure", role: "alert" });
    this.node = element("form", { class: "person", submit: (event) => this.submit(event) }, element("h3", {}, texts.person), labelled, this.problem, element("button", { class: "first" }, texts.send));
  }

  async submit(event) {
    event.preventDefault();
    const { panel } = this;
    const { texts, api, conversation, widget } = panel;
    const values = Object.fromEntries(Object.entries(this.fields).map(([name, { value }]) => [name, value.trim()]));
    this.problem.textContent = "";
    try {
      await (conversation.id
        ? api.send(`/chat/${conversation.id}/escalate`, { email: values.email, message: [values.name, values.message].filter(Boolean).join("\n\n") })
        : api.send("/leads", values));
    } catch ({ status }) {
      this.problem.textContent = status === 0 ? texts.offline : status === 429 ? texts.busy : texts.broken;
      return;
    }
    const done = button(texts.back, () => panel.showConversation());
    this.node.replaceWith(element("div", { class: "person" }, element("p", { role: "status" }, texts.sent), done));
    done.focus();
    widget.tell("person");
  }
}
