// The official TypeScript client uses both servers as a customer's program would.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const { site, key, bot, mode } = JSON.parse(process.argv[2]);
const options = mode === "auto" ? { versionNegotiation: { mode: "auto" } } : {};

async function use(path, headers, work) {
  const transport = new StreamableHTTPClientTransport(new URL(site + path), { requestInit: { headers } });
  const client = new Client({ name: "contract", version: "1" }, options);
  await client.connect(transport);
  await work(client);
  await client.close();
}

await use("/mcp", {}, async (docs) => {
  const names = (await docs.listTools()).tools.map((tool) => tool.name);
  assert.deepEqual(names.sort(), ["ask_docs", "get_bot_config", "search_docs"]);
  const question = "How do I install the agent?";
  const answer = await docs.callTool({ name: "ask_docs", arguments: { ...bot, question } });
  assert.equal(answer.structuredContent.answered, true);
});

await use("/mcp/admin", { Authorization: `Bearer ${key}` }, async (workspace) => {
  const names = (await workspace.listTools()).tools.map((tool) => tool.name);
  assert.ok(names.includes("search_articles") && names.includes("create_article"));
  assert.equal((await workspace.listPrompts()).prompts.length, 2);
  const article = { title: "New", contentMarkdown: "Text.\n" };
  const creation = await workspace.callTool({ name: "create_article", arguments: article });
  assert.equal(creation.structuredContent.status, "draft");
});

console.log(`TypeScript, ${mode}: both servers were listed and called`);
