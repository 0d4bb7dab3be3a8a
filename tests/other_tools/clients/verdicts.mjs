// Prints for each delivery on standard input whether the `verify` in the same folder accepts it.
import { readFileSync } from "node:fs";
import { verify } from "./verify.mjs";

const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(
  JSON.stringify(cases.map(({ secret, header, body }) => verify(secret, header, Buffer.from(body, "base64")))),
);
