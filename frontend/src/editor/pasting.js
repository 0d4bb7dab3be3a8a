// Text with a form, as word processors copy it: the plain text is there at once, and becomes Markdown when the
// server has converted it. Undo brings the plain text back.
import { isolateHistory } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { request } from "./saving.js";

const HAS_FORM = /<(h[1-6]|[ou]l|table|a|b|strong|i|em)\b|mso-list|font-(weight: ?(bold|[6-9]00)|style: ?italic)/i;
// Code editors copy their colors. Google Docs ends the same styles with `pre-wrap`.
const IS_CODE = /white-space: ?pre;?["']|<pre style/i;
const IS_BLOCK = /\n|^(#|>|[-|] |\d+\. )/;

export function acceptFormatted(form, surface) {
  const { view } = surface;
  let place = null;
  surface.onChange(({ changes }) => {
    if (place) Object.assign(place, { from: changes.mapPos(place.from, 1), to: changes.mapPos(place.to, -1) });
  });

  const paste = ({ clipboardData }) => {
    const [html, plain] = ["text/html", "text/plain"].map((type) => clipboardData.getData(type));
    const { ranges, main } = view.state.selection;
    const isAddress = !/\S\s+\S/.test(plain);
    if (isAddress || !HAS_FORM.test(html) || IS_CODE.test(html) || ranges.length > 1 || isInCode(view.state, main.from)) return false;
    place = null;
    view.dispatch(view.state.replaceSelection(plain), { userEvent: "input.paste", scrollIntoView: true });
    place = { from: main.from, to: view.state.selection.main.head };
    convert(html, place);
    return true;
  };

  const convert = async (html, asked) => {
    const words = view.state.sliceDoc(asked.from, asked.to);
    const body = new URLSearchParams({ html, "form-token": form.elements["form-token"].value });
    const { status, state } = await request(form.dataset.pasted, { method: "POST", body });
    const { from, to } = asked;
    if (place !== asked || status !== 200 || !state.markdown || view.state.sliceDoc(from, to) !== words) return;
    const { doc } = view.state;
    const parted = (text) => (IS_BLOCK.test(state.markdown) && text.trim() ? "\n\n" : "");
    const before = parted(doc.sliceString(doc.lineAt(from).from, from));
    const after = parted(doc.sliceString(to, doc.lineAt(to).to));
    view.dispatch({ changes: { from, to, insert: before + state.markdown + after }, annotations: isolateHistory.of("full"), userEvent: "input.paste", scrollIntoView: true });
  };
  surface.extend(EditorView.domEventHandlers({ paste }));
}

function isInCode(state, at) {
  for (let node = syntaxTree(state).resolveInner(at, -1); node; node = node.parent) if (/Code/.test(node.name)) return true;
  return false;
}
