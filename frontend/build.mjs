// Builds what browsers load, into the Python package: names with content hashes, a manifest, and compressed copies.
//
// `node build.mjs` writes the output; `node build.mjs --check` compares it with what is committed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import subsetFont from "subset-font";

const HERE = dirname(fileURLToPath(import.meta.url));
const OUTPUT = join(HERE, "../instep/platform/web/static/dist");
const LICENSES = join(HERE, "THIRD_PARTY_LICENSES");
const ENTRIES = [
  "src/dashboard/dashboard.css",
  "src/dashboard/dashboard.js",
  "src/dashboard/passkeys.js",
  "src/editor/editor.css",
  "src/editor/editor.js",
  "src/site/home.css",
  "src/site/reference.css",
  "src/site/rich.css",
  "src/site/rich.js",
  "src/site/site.css",
  "src/site/site.js",
];
// The first versions that know light-dark().
const BROWSERS = ["chrome123", "firefox120", "safari17.5"];
// The font weights that styles name.
const WEIGHTS = { min: 400, max: 700 };
// The texts of the launcher before the panel is there.
const LAUNCHER_TEXTS = ["help", "question", "ask", "unavailable", "again"];
const ICON_PACKAGE = "lucide-static";
const COMPRESSIBLE = /\.(css|js|svg|ts)$/;
const HASHED_NAME = /^(.+)\.([0-9A-Z]{8})\.(\w+)$/;
const GZIP_OS_BYTE = 9;

const sha256 = (content) => createHash("sha256").update(content).digest("hex");
const shortHash = (content) => sha256(content).slice(0, 8).toUpperCase();
const byName = (left, right) => (left < right ? -1 : 1);

/** Digest of every source: the same computation stands in scripts/check_assets.py. */
function sourcesDigest() {
  const files = readdirSync(HERE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(HERE, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => !path.startsWith("node_modules/") && path !== relative(HERE, LICENSES));
  return sha256(files.sort(byName).map((path) => `${path} ${sha256(readFileSync(join(HERE, path)))}\n`).join(""));
}

/** One SVG with a symbol for each icon that a template may name. */
function iconSprite() {
  const names = JSON.parse(readFileSync(join(HERE, "src/shared/icons.json"), "utf8"));
  const symbols = names.map((name) => {
    const svg = readFileSync(join(HERE, "node_modules", ICON_PACKAGE, "icons", `${name}.svg`), "utf8");
    const shapes = svg.replace(/^[^]*?<svg[^>]*>|<\/svg>\s*$/g, "").replace(/>\s+</g, "><").trim();
    return `<symbol id="${name}" viewBox="0 0 24 24">${shapes}</symbol>`;
  });
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>`);
}

/** The dashboard's styles once more, with classes in place of what a pointer or a key brings about. */
function stateStyles(files) {
  const [, styles] = [...files].find(([name]) => /^dashboard\.\w+\.css$/.test(name));
  const text = styles.toString("utf8").replace(/@font-face\{[^}]*\}/g, "");
  return Buffer.from(text.replaceAll(":hover", ".is-hovered").replaceAll(":focus-visible", ".is-focused"));
}

/** Variable fonts without the weights that no style names, which take nearly half of their bytes. */
const lighterFonts = {
  name: "lighter fonts",
  setup(builder) {
    builder.onLoad({ filter: /\.woff2$/ }, async ({ path }) => {
      const options = { keepAllGlyphs: true, variationAxes: { wght: WEIGHTS }, targetFormat: "woff2" };
      return { contents: await subsetFont(readFileSync(path), undefined, options), loader: "file" };
    });
  },
};

const OPTIONS = {
  absWorkingDir: HERE,
  entryNames: "[name].[hash]",
  assetNames: "[name].[hash]",
  outdir: OUTPUT,
  // Styles stand within pages, too, so that addresses in them can't be relative to a file.
  publicPath: "/static/dist",
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  format: "esm",
  target: BROWSERS,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  plugins: [lighterFonts],
};

const filesOf = ({ outputFiles }) => outputFiles.map((file) => [relative(OUTPUT, file.path), Buffer.from(file.contents)]);

/** Lengths that the font size of a page's root does not change. */
const inPixels = (styles) => styles.replaceAll(/(\d*\.?\d+)rem/g, (_, number) => `${Number(number) * 16}px`);

/** Styles of a shadow tree, as a string of the script that adopts them. */
const stylesAsText = {
  name: "styles as text",
  setup(builder) {
    builder.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles } = await build({ ...OPTIONS, entryPoints: [path], metafile: false });
      return { contents: inPixels(outputFiles[0].text.replaceAll(":root", ".panel")), loader: "text" };
    });
  },
};

/** The texts of the widget by language: all of them, or those with these names. */
function widgetTexts(names) {
  const folder = join(HERE, "src/widget/texts");
  const texts = readdirSync(folder).sort(byName).map((file) => {
    const all = JSON.parse(readFileSync(join(folder, file), "utf8"));
    return [file.slice(0, 2), Object.fromEntries(Object.entries(all).filter(([name]) => !names || names.includes(name)))];
  });
  return JSON.stringify(Object.fromEntries(texts));
}

/** The script that other sites load, which knows the address of the panel that it loads itself. */
async function buildWidget() {
  const options = { ...OPTIONS, plugins: [stylesAsText] };
  const panelOptions = { ...options, entryPoints: ["src/widget/panel.js"], define: { TEXTS: widgetTexts() } };
  const panel = filesOf(await build(panelOptions));
  const define = { PANEL: JSON.stringify(`/static/dist/${panel[0][0]}`), TEXTS: widgetTexts(LAUNCHER_TEXTS) };
  const loader = await build({ ...options, entryPoints: ["src/widget/loader.js"], entryNames: "widget.[hash]", format: "iife", define });
  return [...panel, ...filesOf(loader)];
}

// The kinds of diagrams that are drawn, with the layout that they share; others would triple the size.
const DIAGRAMS = /\/(?:(?:flow|sequence|state|class|er|gantt)Diagram(?:-v2)?|dagre)-[A-Z0-9]{8}\.mjs$/;

const fewDiagrams = {
  name: "few diagrams",
  setup(builder) {
    const nothing = ({ path }) => ({ path, namespace: "nothing" });
    builder.onResolve({ filter: /^katex$|^cytoscape/ }, nothing);
    builder.onResolve({ filter: /\.mjs$/ }, (file) =>
      file.kind === "dynamic-import" && !DIAGRAMS.test(file.path) ? nothing(file) : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: "nothing" }, () => ({ contents: "export default null", loader: "js" }));
  },
};

/** The page in which a diagram is drawn, and its script. */
async function buildDiagram() {
  const options = { ...OPTIONS, plugins: [fewDiagrams], format: "iife", entryPoints: ["src/diagram/diagram.js"] };
  const result = await build(options);
  const [script] = filesOf(result);
  const html = readFileSync(join(HERE, "src/diagram/diagram.html"), "utf8").replace("DIAGRAM", `/static/dist/${script[0]}`);
  return { inputs: result.metafile.inputs, files: [script, [`diagram.${shortHash(html)}.html`, Buffer.from(html)]] };
}

/** The types of `Instep` for TypeScript, as sites download them. */
function widgetTypes() {
  const types = readFileSync(join(HERE, "src/widget/instep.d.ts"));
  return [`widget-types.${shortHash(types)}.ts`, types];
}

/** The built files by their hashed names, and the packages that are in them. */
async function bundle() {
  const result = await build({ ...OPTIONS, entryPoints: ENTRIES });
  const diagram = await buildDiagram();
  const files = new Map([...filesOf(result), ...(await buildWidget()), widgetTypes(), ...diagram.files]);
  const sprite = iconSprite();
  const states = stateStyles(files);
  files.set(`states.${shortHash(states)}.css`, states);
  files.set(`icons.${shortHash(sprite)}.svg`, sprite);
  const packages = Object.keys({ ...result.metafile.inputs, ...diagram.inputs })
    .map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
    .filter(Boolean);
  return { files, packages: [...new Set([...packages, ICON_PACKAGE])].sort(byName) };
}

function compress(content) {
  const br = brotliCompressSync(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  });
  const gz = gzipSync(content, { level: 9 });
  // The header names the system that compressed; all are to write the same bytes.
  gz[GZIP_OS_BYTE] = 255;
  return { br, gz };
}

function licenses(packages) {
  const texts = packages.map((name) => {
    const folder = join(HERE, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    return `${"=".repeat(80)}\n${name} ${version} (${license})\n${"=".repeat(80)}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return `Instep's pages load these works of others. Each is under its own license, which follows.\n\n${texts.join("\n\n")}`;
}

/** The files of the output folder: their names with their contents. */
function outputOf(files) {
  const output = new Map();
  const assets = {};
  for (const [name, content] of [...files].sort(([left], [right]) => byName(left, right))) {
    const [, stem, , extension] = HASHED_NAME.exec(name);
    const asset = { file: name, sha256: sha256(content) };
    output.set(name, content);
    if (COMPRESSIBLE.test(name)) {
      for (const [encoding, bytes] of Object.entries(compress(content))) {
        output.set(`${name}.${encoding}`, bytes);
        asset[encoding] = sha256(bytes);
      }
    }
    assets[`${stem}.${extension}`] = asset;
  }
  output.set("manifest.json", Buffer.from(`${JSON.stringify({ sources: sourcesDigest(), assets }, null, 2)}\n`));
  return output;
}

function write(output) {
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  for (const [name, content] of output) {
    writeFileSync(join(OUTPUT, name), content);
  }
}

/** Plain bytes: versions of Node may compress differently. */
function plain(name, content) {
  if (name.endsWith(".br")) return brotliDecompressSync(content);
  if (name.endsWith(".gz")) return gunzipSync(content);
  if (name !== "manifest.json") return content;
  return Buffer.from(JSON.stringify(JSON.parse(content), (key, value) => (key === "br" || key === "gz" ? 0 : value)));
}

function differences(output) {
  const committed = existsSync(OUTPUT) ? readdirSync(OUTPUT) : [];
  const names = [...new Set([...committed, ...output.keys()])].sort(byName);
  return names.filter((name) => {
    if (!output.has(name) || !committed.includes(name)) return true;
    return !plain(name, output.get(name)).equals(plain(name, readFileSync(join(OUTPUT, name))));
  });
}

const { files, packages } = await bundle();
const output = outputOf(files);
if (process.argv.includes("--check")) {
  const stale = differences(output);
  if (readFileSync(LICENSES, "utf8") !== licenses(packages)) stale.push("THIRD_PARTY_LICENSES");
  if (stale.length > 0) {
    console.error(`These files are not what the sources build: ${stale.join(", ")}. Run "make assets" and commit them.`);
    process.exit(1);
  }
} else {
  write(output);
  writeFileSync(LICENSES, licenses(packages));
}
