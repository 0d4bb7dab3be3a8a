// The official TypeScript client connects without help: discovery, registration, PKCE, step-up authorization.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";

const { site, python, mode } = JSON.parse(process.argv[2]);
const options = mode === "auto" ? { versionNegotiation: { mode: "auto" } } : {};
const endpoint = new URL(site + "/mcp/admin");
const scopes = [];

// Stores credentials in memory; `response` holds the parameters that the person's browser is redirected with.
class MemoryProvider {
  redirectUrl = "http://127.0.0.1:3132/callback";
  clientMetadata = {
    client_name: "Contract",
    redirect_uris: [this.redirectUrl],
    token_endpoint_auth_method: "none",
  };
  clientInformation = () => this.client;
  saveClientInformation = (client) => void (this.client = client);
  tokens = () => this.storedTokens;
  saveTokens = (tokens) => void (this.storedTokens = tokens);
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => void (this.verifier = verifier);
  redirectToAuthorization(url) {
    const scope = url.searchParams.get("scope");
    scopes.push(scope);
    const allowedScope = scope.includes("write") ? "content:write" : "content:read";
    const command = ["-m", "tests.other_tools.person", site, url.href, allowedScope];
    const location = execFileSync(python, command, { encoding: "utf8" });
    this.response = new URL(location.trim()).searchParams;
  }
}

const provider = new MemoryProvider();

// As in an app: when the person had to authorize it first, continue with their authorization response.
async function withAuthorization(work) {
  const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider });
  const client = new Client({ name: "contract", version: "1" }, options);
  try {
    await client.connect(transport);
    return await work(client);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(provider.response);
    return withAuthorization(work);
  } finally {
    await client.close();
  }
}

const toolNames = async () =>
  (await withAuthorization((client) => client.listTools())).tools.map((tool) => tool.name);

const readNames = await toolNames();
assert.ok(readNames.includes("search_articles") && !readNames.includes("create_article"));
assert.deepEqual(scopes, ["content:read"]);
const article = { title: "New", contentMarkdown: "Text.\n" };
const creation = await withAuthorization((client) => client.callTool({ name: "create_article", arguments: article }));
assert.equal(creation.structuredContent.status, "draft");
assert.equal(scopes.length, 2);
assert.ok(scopes[1].includes("content:write"));
assert.ok((await toolNames()).includes("create_article"));
console.log(`TypeScript, ${mode}: connected and stepped up`);
