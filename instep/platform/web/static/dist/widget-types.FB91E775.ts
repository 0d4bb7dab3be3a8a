// What TypeScript knows of the widget. Save it beside your own sources; it declares `Instep` for all of them.

export {};

declare global {
  namespace InstepWidget {
    /** What listeners are told, by event. No event tells what was asked. */
    interface Events {
      /** The panel was opened. */
      open: undefined;
      /** The panel was closed. */
      close: undefined;
      /** A question was sent. */
      ask: undefined;
      /** An answer is complete; `answered` is false when the articles don't hold it. */
      answer: { answered: boolean };
      /** A message to a person was sent. */
      person: undefined;
      /** A request failed; 0 is a connection that failed. */
      error: { status: number };
    }

    interface Settings {
      /** The page that the visitor is on, where its address does not tell. */
      pageUrl?: string;
    }

    /** Which widget of a page with several is meant; without it, the first. */
    interface Target {
      bot?: string;
    }

    interface Command {
      /** Open the panel. */
      (command: "open", target?: Target): void;
      /** Close the panel. */
      (command: "close", target?: Target): void;
      /** Open the panel and ask. */
      (command: "ask", question: string, target?: Target): void;
      /** Name a signed-in visitor by a token that your server has signed. */
      (command: "identify", visitorToken: string, target?: Target): void;
      (command: "update", settings: Settings, target?: Target): void;
      /** Be called on an event. What it returns ends that; before the script is there it returns nothing. */
      <Name extends keyof Events>(
        command: "on",
        event: Name,
        listener: (value: Events[Name]) => void,
        target?: Target,
      ): (() => void) | undefined;
      /** Forget the conversation, the token and the visitor's number. */
      (command: "reset", target?: Target): void;
      /** The same, and take the widget out of the page. */
      (command: "destroy", target?: Target): void;
      /** Calls that wait for the script. */
      q?: unknown[][];
    }
  }

  interface Window {
    Instep?: InstepWidget.Command;
  }

  var Instep: InstepWidget.Command;

  interface HTMLElementTagNameMap {
    "instep-help": HTMLElement;
  }
}
