// A customer's program in TypeScript, with the types that are generated from the API's description.
import createClient from "openapi-fetch";
import type { components, paths } from "../build/api.js";

declare const process: { env: Record<string, string | undefined>; exit(code: number): never };

const api = createClient<paths>({
  baseUrl: process.env["CONTRACT_URL"] ?? "",
  headers: { Authorization: `Bearer ${process.env["CONTRACT_KEY"]}` },
});

function dataOf<T>(response: { data?: T | undefined; error?: components["schemas"]["Error"] | undefined }): T {
  if (response.data === undefined) throw new Error(response.error?.error ?? "the response has no body");
  return response.data;
}

const article = dataOf(
  await api.POST("/articles", { body: { title: "Install", contentMarkdown: "Run `install`." } }),
);
const path = { params: { path: { id: article.id } } };
dataOf(await api.POST("/articles/{id}/publish", path));
const draft = dataOf(
  await api.POST("/articles/{id}/drafts", { ...path, body: { contentMarkdown: "Run `setup`.", reason: "Renamed" } }),
);
const queue = dataOf(await api.GET("/drafts", { params: { query: { type: "edit", page_size: 10 } } }));
const applied = dataOf(await api.POST("/drafts/{id}/apply", { params: { path: { id: draft.id } }, body: {} }));
const live = dataOf(await api.GET("/articles/{id}", { params: { path: { id: article.slug } } }));
const missing = await api.GET("/articles/{id}", { params: { path: { id: "nothing" } } });

const text: string | undefined = "contentMarkdown" in live ? live.contentMarkdown : undefined;
const isExpected =
  queue.results.some((entry) => entry.id === draft.id) &&
  applied.status === "applied" &&
  text === "Run `setup`." &&
  missing.error?.code === "not_found";
if (!isExpected) process.exit(1);
console.log("TypeScript: an edit was proposed, applied and read");
