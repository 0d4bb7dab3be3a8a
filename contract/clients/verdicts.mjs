// Say of each delivery on standard input whether the `verify` beside this program accepts it.
import { readFileSync } from "node:fs";
import { verify } from "./verify.mjs";

const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(
  JSON.stringify(cases.map(({ secret, header, body }) => verify(secret, header, Buffer.from(body, "base64")))),
);
