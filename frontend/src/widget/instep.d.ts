// Type declarations of the widget. Save this file among your sources; it declares `Instep` for all of them.

export {};

declare global {
  namespace InstepWidget {
    /** The data that listeners get, by event. No event contains the question. */
    interface Events {
      /** The panel was opened. */
      open: undefined;
      /** The panel was closed. */
      close: undefined;
      /** A question was sent. */
      ask: undefined;
      /** An answer is complete; `answered` is false if the articles don't contain it. */
      answer: { answered: boolean };
      /** A message to a person was sent. */
      person: undefined;
      /** A request failed; the status is 0 if the connection failed. */
      error: { status: number };
    }

    interface Settings {
      /** The page that the visitor is on, if the browser's address does not show it. */
      pageUrl?: string;
    }

    /** The widget to address if a page has several; by default the first. */
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
      /** Identify a signed-in visitor by a token that your server has signed. */
      (command: "identify", visitorToken: string, target?: Target): void;
      (command: "update", settings: Settings, target?: Target): void;
      /** Call a function on an event. Returns a function that removes it, or nothing before the script has loaded. */
      <Name extends keyof Events>(
        command: "on",
        event: Name,
        listener: (value: Events[Name]) => void,
        target?: Target,
      ): (() => void) | undefined;
      /** Forget the conversation, the token and the visitor's number. */
      (command: "reset", target?: Target): void;
      /** The same, and remove the widget from the page. */
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
