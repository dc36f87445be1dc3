import { mergeConfig } from "vite"; import base from "./vite.config.ts"; import fs from "node:fs"; import zlib from "node:zlib";
export default mergeConfig(base, { build: { outDir: "/tmp/m/andist", emptyOutDir: true }, plugins: [{ name: "an", generateBundle(_, bundle) {
  const chunks = Object.values(bundle).filter((c) => c.type === "chunk"); const by = new Map(chunks.map((c) => [c.fileName, c]));
  const seen = new Set(); const walk = (f) => { if (seen.has(f) || !by.has(f)) return; seen.add(f); by.get(f).imports.forEach(walk); };
  chunks.filter((c) => c.isEntry || c.facadeModuleId?.endsWith("home/index.ts") || c.facadeModuleId?.endsWith("pages/Home.tsx")).forEach((c) => walk(c.fileName));
  let sum = 0; const pk = {};
  for (const f of seen) { const c = by.get(f); const z = zlib.gzipSync(c.code, { level: 9 }).length; sum += z; console.log(f, c.code.length, z);
    for (const [id, m] of Object.entries(c.modules)) { const k = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id.split("node_modules/").length > 2 ? "node_modules/" + id.split("node_modules/").at(-1) : id)?.[1] ?? id.replace(/.*\/src\//, "src/").split("/").slice(0, 3).join("/"); pk[k] = (pk[k] ?? 0) + m.renderedLength; if (process.env.PK && k === process.env.PK) console.log("   ", m.renderedLength, id.slice(-70)); } }
  console.log("SUM", sum); Object.entries(pk).sort((a, b) => b[1] - a[1]).slice(0, 40).forEach(([k, v]) => console.log(v, k));
} }] });
