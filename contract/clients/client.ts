// What a customer would write in TypeScript: the loop, with the types that were made from the description.
import createClient from "openapi-fetch";
import type { components, paths } from "../made/api.js";

declare const process: { env: Record<string, string | undefined>; exit(code: number): never };

const api = createClient<paths>({
  baseUrl: process.env["CONTRACT_URL"] ?? "",
  headers: { Authorization: `Bearer ${process.env["CONTRACT_KEY"]}` },
});

function told<T>(answer: { data?: T | undefined; error?: components["schemas"]["Error"] | undefined }): T {
  if (answer.data === undefined) throw new Error(answer.error?.error ?? "no answer");
  return answer.data;
}

const article = told(
  await api.POST("/articles", { body: { title: "Install", contentMarkdown: "Run `install`." } }),
);
const at = { params: { path: { id: article.id } } };
told(await api.POST("/articles/{id}/publish", at));
const draft = told(
  await api.POST("/articles/{id}/drafts", { ...at, body: { contentMarkdown: "Run `setup`.", reason: "Renamed" } }),
);
const queue = told(await api.GET("/drafts", { params: { query: { type: "edit", page_size: 10 } } }));
const applied = told(await api.POST("/drafts/{id}/apply", { params: { path: { id: draft.id } }, body: {} }));
const live = told(await api.GET("/articles/{id}", { params: { path: { id: article.slug } } }));
const refused = await api.GET("/articles/{id}", { params: { path: { id: "nothing" } } });

const text: string | undefined = "contentMarkdown" in live ? live.contentMarkdown : undefined;
const works =
  queue.results.some((entry) => entry.id === draft.id) &&
  applied.status === "applied" &&
  text === "Run `setup`." &&
  refused.error?.code === "not_found";
if (!works) process.exit(1);
console.log("TypeScript: the loop went round");
