import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundleCode, bundleTypes } from './bundle.ts';
import { ENTRIES, type Manifest, manifestOf } from './manifest.ts';
import { commentsOf, inferringModule, plainTypes, typeNamesOf } from './plain-shapes.ts';

const run = promisify(execFile);

/** Makes the tarball of the SDK, which needs no other package of ours, and returns its path. */
export async function packClient(root: string, folder: string): Promise<string> {
  const client = path.join(root, 'packages/client');
  const unpacked = path.join(folder, 'package');
  await rm(folder, { recursive: true, force: true });
  await mkdir(unpacked, { recursive: true });
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  await run(tsc, ['-b', client]);
  // Inside of the package, so that imports resolve as they do for its sources.
  const work = await mkdtemp(path.join(client, 'dist/.pack-'));
  try {
    await copySources(path.join(client, 'src'), path.join(work, 'src'));
    await writePlainShapes(tsc, root, work);
    const entries = ENTRIES.map((entry) => `src/${entry}.ts`);
    await emitTypes(tsc, root, work, entries);
    await bundleTypes(root, path.join(work, 'types'), path.join(unpacked, 'dist'));
  } finally {
    await rm(work, { recursive: true });
  }
  await bundleCode(root, path.join(unpacked, 'dist'));
  const own = await manifestIn(client);
  const manifest = manifestOf(own, await manifestIn(path.join(root, 'packages/media')));
  await writeFile(path.join(unpacked, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await cp(path.join(root, 'docs/client.md'), path.join(unpacked, 'README.md'));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: unpacked,
  });
  return path.join(folder, stdout.trim());
}

async function manifestIn(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
}

async function copySources(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (file) => !file.endsWith('.test.ts') });
}

/** Replaces the module of the API's shapes with a module that has them written out. */
async function writePlainShapes(tsc: string, root: string, work: string): Promise<void> {
  const file = path.join(work, 'src/shapes.ts');
  const source = await readFile(file, 'utf8');
  const names = typeNamesOf(source);
  await writeFile(path.join(work, 'src/inferred.ts'), inferringModule(names, './shapes.ts'));
  await emitTypes(tsc, root, work, ['src/inferred.ts']);
  const inferred = await readFile(path.join(work, 'types/inferred.d.ts'), 'utf8');
  const contract = await declarationsOf(root);
  const comments = commentsOf(`${contract}${source}`);
  await writeFile(
    file,
    plainTypes(inferred, (name) => comments.get(name) ?? '', contract),
  );
}

async function declarationsOf(root: string): Promise<string> {
  const folder = path.join(root, 'packages/contract/dist/api');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.d.ts'));
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return texts.join('\n');
}

/** Writes the declarations of these files, and of all that they import, into the folder `types`. */
async function emitTypes(
  tsc: string,
  root: string,
  work: string,
  files: readonly string[],
): Promise<void> {
  const project = {
    extends: path.join(root, 'tsconfig.base.json'),
    compilerOptions: {
      composite: false,
      declaration: true,
      declarationMap: false,
      emitDeclarationOnly: true,
      rootDir: 'src',
      outDir: 'types',
      tsBuildInfoFile: null,
      lib: ['es2024', 'esnext.disposable', 'dom'],
    },
    files,
  };
  const file = path.join(work, 'tsconfig.json');
  await writeFile(file, JSON.stringify(project));
  await run(tsc, ['-p', file]);
}
