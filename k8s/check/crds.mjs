// Resources that are not Kubernetes' own, as JSON lines on standard input: strictly against the types of their projects.
// The compiler finds what is missing, wrong or unknown; the validators find what a type cannot say.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const here = fileURLToPath(new URL(".", import.meta.url));
const packages = {
  "keda.sh": "keda",
  "monitoring.coreos.com": "prometheus-operator",
  "postgresql.cnpg.io": "cloudnative-pg",
  "external-secrets.io": "external-secrets",
};

const objects = readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const complaints = [];
const imports = new Set();
const checks = [];
for (const [at, object] of objects.entries()) {
  const [group, version] = object.apiVersion.split("/");
  const name = `${object.kind} ${object.metadata.name}`;
  const known = packages[group];
  if (!known) {
    complaints.push(`${name}: nothing is known of ${object.apiVersion}`);
    continue;
  }
  const module = `@kubernetes-models/${known}/${group}/${version}/${object.kind}`;
  imports.add(`import type { I${object.kind} } from "${module}";`);
  checks.push({ name, line: `const object${at}: I${object.kind} = ${JSON.stringify(object)};` });
  try {
    new (await import(module))[object.kind](object).validate();
  } catch (error) {
    complaints.push(`${name}: ${error.message}`);
  }
}

const folder = mkdtempSync(join(here, "node_modules/.check-"));
try {
  const head = [...imports];
  const file = join(folder, "rendered.ts");
  writeFileSync(file, [...head, ...checks.map((c) => c.line), "export {};"].join("\n"));
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  });
  for (const found of ts.getPreEmitDiagnostics(program)) {
    const line = found.file && found.start !== undefined ? found.file.getLineAndCharacterOfPosition(found.start).line : -1;
    const check = checks[line - head.length];
    complaints.push(`${check?.name ?? head[line] ?? "types"}: ${ts.flattenDiagnosticMessageText(found.messageText, " ")}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(JSON.stringify(complaints));
