// `data-copies="id"` on a button copies the value of the field with this id.

export function listenForCopies(document) {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copies]");
    if (!button) return;
    const field = document.getElementById(button.dataset.copies);
    field.select();
    await navigator.clipboard?.writeText(field.value);
    button.querySelector("span").textContent = "Copied";
  });
}
