import { glob, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { compile } from 'tailwindcss';
import { expect, test } from 'vitest';

const web = path.resolve(import.meta.dirname, '..');
const theme = path.join(import.meta.dirname, 'theme.css');

/** Marks of Tailwind that other classes refer to. They have no rule of their own. */
const MARK = /^(group|peer)(\/[\w-]+)?$/;

const STRING = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/** Returns a function that returns whether our theme has a rule for a class. */
async function readRules(candidates: readonly string[]): Promise<(name: string) => boolean> {
  const require = createRequire(theme);
  const compiler = await compile(await readFile(theme, 'utf8'), {
    base: path.dirname(theme),
    loadStylesheet: async (id, base) => {
      const file =
        id === 'tailwindcss' ? require.resolve('tailwindcss/index.css') : path.join(base, id);
      return { path: file, base: path.dirname(file), content: await readFile(file, 'utf8') };
    },
  });
  const css = compiler.build([...candidates]);
  return (name) => {
    const selector = `.${name.replaceAll(/[^\w-]/g, String.raw`\$&`)}`;
    // `.border` may stand after `.border-collapse`.
    const [, ...ends] = css.split(selector);
    return ends.some((end) => !/^[\w-]/.test(end));
  };
}

/** Returns the lists of words that stand in strings, without what a template puts between them. */
function wordLists(source: string): string[][] {
  const texts = [...source.matchAll(STRING)].map(
    ([, one, two, three]) => one ?? two ?? three ?? '',
  );
  return texts.map((text) =>
    text
      .replaceAll(/\$\{[^}]*\}/g, ' ')
      .split(/\s+/)
      .filter(Boolean),
  );
}

/** Returns the classes of a source file. A list of words is one of classes when some word with a hyphen has a rule. */
function classesOf(source: string, hasRule: (name: string) => boolean): string[] {
  const attributes = [...source.matchAll(/className="([^"]*)"/g)].flatMap(([, text = '']) =>
    text.split(/\s+/).filter(Boolean),
  );
  const lists = wordLists(source).filter((words) =>
    words.some((word) => /[-:[]/.test(word) && hasRule(word)),
  );
  return [...attributes, ...lists.flat()];
}

test('each class of the pages has a rule, so that no foreign colour or size is silently without effect', async () => {
  const files: string[] = [];
  for await (const file of glob('**/*.{ts,tsx}', { cwd: web, exclude: ['**/*.test.ts'] }))
    files.push(file);
  const sources = await Promise.all(files.map((file) => readFile(path.join(web, file), 'utf8')));
  const hasRule = await readRules(sources.flatMap((source) => wordLists(source).flat()));
  const without = sources.flatMap((source, index) =>
    classesOf(source, hasRule)
      .filter((name) => !hasRule(name) && !MARK.test(name))
      .map((name) => `${files[index]}: ${name}`),
  );
  expect(without).toEqual([]);
  expect(files.length).toBeGreaterThan(10);
});

test('a class of another palette, of another scale or with a slip is found', async () => {
  const source = `<p className="text-gray-500 p-4" title="in a table">{on ? 'bg-iris text-xs' : 'flexx gap-2'}</p>`;
  const hasRule = await readRules(wordLists(source).flat());
  const found = classesOf(source, hasRule).filter((name) => !hasRule(name));
  expect([...new Set(found)]).toEqual(['text-gray-500', 'text-xs', 'flexx']);
});
