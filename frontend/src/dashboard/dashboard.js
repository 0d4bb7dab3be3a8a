// The dashboard's behaviour. Every page works without it; this makes it quicker.
import "./policy.js";
import { askInDialogs, moveRowsByKeys, sendAsChanged } from "./content.js";
import { listenForKeys } from "./keys.js";
import { listenForMenus, supportDialogCommands } from "./floating.js";
import { listenForCopies } from "./copying.js";
import { listenForPalette } from "./palette.js";
import { showProgress } from "./progress.js";
import { keepSignedIn } from "./session.js";
import { centreCurrentSubsection } from "./subsections.js";
import { endToasts } from "./toasts.js";
import { review } from "./review.js";

listenForKeys(document);
listenForMenus(document);
listenForPalette(document);
supportDialogCommands(document);
showProgress(document);
keepSignedIn(document);
endToasts(document);
listenForCopies(document);
askInDialogs(document);
sendAsChanged(document);
moveRowsByKeys(document);
centreCurrentSubsection(document);
review(document);
