// The dashboard's behaviour. Every page works without it; this makes it quicker.
import "./policy.js";
import { listenForKeys } from "./keys.js";
import { listenForMenus, supportDialogCommands } from "./floating.js";
import { showProgress } from "./progress.js";
import { endToasts } from "./toasts.js";

listenForKeys(document);
listenForMenus(document);
supportDialogCommands(document);
showProgress(document);
endToasts(document);
