// A colour picker with `data-picks="id"` and the field with this id show the same colour.

const WRITTEN_OUT = /^#[0-9a-f]{6}$/i;

export function listenForColours(document) {
  document.addEventListener("input", ({ target }) => {
    if (target.dataset.picks) {
      const field = document.getElementById(target.dataset.picks);
      field.value = target.value;
    } else if (target.id && WRITTEN_OUT.test(target.value)) {
      const picker = document.querySelector(`[data-picks="${CSS.escape(target.id)}"]`);
      if (picker) picker.value = target.value;
    }
  });
}
