import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import * as z from 'zod';

const run = promisify(execFile);
const schemas = path.resolve(import.meta.dirname, '../../kubernetes/schemas');

/** The modules of the projects whose resources our components use, and their files. The README beside the schemas names them too. */
const MODULES = [
  {
    module: 'github.com/cloudnative-pg/cloudnative-pg@v1.28.0',
    files: ['config/crd/bases/postgresql.cnpg.io_clusters.yaml'],
  },
  {
    module: 'github.com/kedacore/keda/v2@v2.21.0',
    files: ['config/crd/bases/keda.sh_scaledobjects.yaml'],
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: ['podmonitors', 'prometheusrules'].map(
      (kind) => `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`,
    ),
  },
] as const;

const Definition = z.looseObject({ metadata: z.object({ name: z.string() }).loose() });

for (const { module, files } of MODULES) {
  const { stdout } = await run('go', ['mod', 'download', '-json', module]);
  const { Dir } = z.object({ Dir: z.string() }).parse(JSON.parse(stdout));
  for (const file of files) {
    const text = await readFile(path.join(Dir, file), 'utf8');
    const definition = Definition.parse(withoutDescriptions(parse(text)));
    const target = path.join(schemas, `${definition.metadata.name}.json`);
    await writeFile(target, `${JSON.stringify(definition)}\n`);
  }
}

/** Returns a schema without its descriptions, which are most of its size. Keeps a property named `description`. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => key !== 'description' || typeof inner !== 'string',
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutDescriptions(inner)]));
}
