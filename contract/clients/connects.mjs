// The official TypeScript client finds its way by itself: discovery, registration, PKCE, step-up.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";

const { site, python, mode } = JSON.parse(process.argv[2]);
const options = mode === "auto" ? { versionNegotiation: { mode: "auto" } } : {};
const address = new URL(site + "/mcp/admin");
const scopes = [];

// What the client is told to keep, in memory; `answer` is where the person's browser was sent to.
class Provider {
  redirectUrl = "http://127.0.0.1:3132/callback";
  clientMetadata = {
    client_name: "Contract",
    redirect_uris: [this.redirectUrl],
    token_endpoint_auth_method: "none",
  };
  clientInformation = () => this.client;
  saveClientInformation = (client) => void (this.client = client);
  tokens = () => this.kept;
  saveTokens = (tokens) => void (this.kept = tokens);
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => void (this.verifier = verifier);
  redirectToAuthorization(url) {
    const scope = url.searchParams.get("scope");
    scopes.push(scope);
    const allowed = scope.includes("write") ? "content:write" : "content:read";
    const went = execFileSync(python, ["-m", "contract.person", site, url.href, allowed], { encoding: "utf8" });
    this.answer = new URL(went.trim()).searchParams;
  }
}

const provider = new Provider();

// As an app does it: try, and where the person had to be asked go on with what they have answered.
async function asked(work) {
  const transport = new StreamableHTTPClientTransport(address, { authProvider: provider });
  const client = new Client({ name: "contract", version: "1" }, options);
  try {
    await client.connect(transport);
    return await work(client);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(provider.answer);
    return asked(work);
  } finally {
    await client.close();
  }
}

assert.equal((await asked((client) => client.listTools())).tools.length, 9);
assert.deepEqual(scopes, ["content:read"]);
const article = { title: "New", contentMarkdown: "Text.\n" };
const made = await asked((client) => client.callTool({ name: "create_article", arguments: article }));
assert.equal(made.structuredContent.status, "draft");
assert.equal(scopes.length, 2);
assert.ok(scopes[1].includes("content:write"));
assert.equal((await asked((client) => client.listTools())).tools.length, 17);
console.log(`TypeScript, ${mode}: connected and stepped up`);
