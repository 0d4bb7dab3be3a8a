// The editor of articles and changelog entries. The form works without it; this keeps what is typed, and helps.
import { takeCarried } from "./carrying.js";
import { listenForCommands } from "./commands.js";
import { listenForKeptTexts } from "./offers.js";
import { acceptFormatted } from "./pasting.js";
import { acceptPictures } from "./pictures.js";
import { showPreview } from "./preview.js";
import { proposeWords } from "./rewording.js";
import { saveAsOneTypes } from "./saving.js";
import { checkStyle } from "./style.js";
import { createSurface } from "./surface.js";

const form = document.querySelector("[data-editor]");

if (form) {
  const surface = createSurface(form);
  const saving = saveAsOneTypes(form, surface);
  listenForKeptTexts(form, surface, saving);
  listenForCommands(form, surface, saving);
  acceptFormatted(form, surface);
  acceptPictures(form, surface);
  showPreview(form, surface);
  checkStyle(surface);
  proposeWords(form, surface);
  if (form.dataset.line) surface.goTo(Number(form.dataset.line));
  if ("beginsInText" in form.dataset) surface.view.focus();
  takeCarried(form, surface, saving);
}
