// Passkeys: the form with `data-passkey` holds what the authenticator is asked, and sends what it answers.

const form = document.querySelector("form[data-passkey]");
const options = JSON.parse(form.dataset.options);
const isCreation = form.dataset.passkey === "create";

if (!window.PublicKeyCredential) tell("This browser does not support passkeys: use another one, or your password.");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    form.elements.credential.value = JSON.stringify(asJson(await (isCreation ? create() : get())));
    form.submit();
  } catch (error) {
    tell(error.name === "InvalidStateError" ? "This device already has a passkey for your account." : "No passkey was used: try again.");
  }
});

function create() {
  const excluded = options.excludeCredentials.map(withBytes);
  const user = { ...options.user, id: bytesOf(options.user.id) };
  const publicKey = { ...options, user, challenge: bytesOf(options.challenge), excludeCredentials: excluded };
  return navigator.credentials.create({ publicKey });
}

function get() {
  return navigator.credentials.get({ publicKey: { ...options, challenge: bytesOf(options.challenge), allowCredentials: [] } });
}

/** The credential as WebAuthn writes it in JSON: its buffers in base64url. */
function asJson({ id, rawId, type, response, authenticatorAttachment }) {
  const names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const parts = names.filter((name) => response[name]).map((name) => [name, textOf(response[name])]);
  return {
    id,
    rawId: textOf(rawId),
    type,
    authenticatorAttachment,
    clientExtensionResults: {},
    response: Object.fromEntries(parts),
  };
}

function tell(sentence) {
  document.getElementById("passkey-problem").textContent = sentence;
}

const withBytes = (credential) => ({ ...credential, id: bytesOf(credential.id) });

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
