const LISTS = /^export type \{([^}]*)\} from/gm;
const SINGLE = /^export type (\w+) =/gm;

export function typeNamesOf(source: string): string[] {
  const listed = Array.from(source.matchAll(LISTS), ([, names = '']) => names.split(','));
  const single = Array.from(source.matchAll(SINGLE), ([, name = '']) => name);
  return [...listed.flat().map((name) => name.trim()), ...single].filter(Boolean).toSorted();
}

/**
 * Returns a module whose declarations hold each type of `module` written out: the compiler keeps the names of annotated
 * types only.
 */
export function inferringModule(names: readonly string[], module: string): string {
  const constants = names.map((name) => `export const ${name} = infer<shapes.${name}>();`);
  return [
    `import type * as shapes from '${module}';`,
    'declare function infer<T>(): T;',
    ...constants,
    '',
  ].join('\n');
}

/** How the compiler names a shape that contains itself, which it cannot write out. */
const RECURSIVE = /\bimport\("@session\/contract"\)\.(\w+)/g;

/**
 * Returns the types of an inferring module, with their comments, and the interfaces of `contract` that they name. Throws when
 * an interface is not written out.
 */
export function plainTypes(
  declarations: string,
  commentOf: (name: string) => string,
  contract = '',
): string {
  const interfaces = Array.from(declarations.matchAll(RECURSIVE), ([, name = '']) => name);
  const inferred = declarations
    .replaceAll(RECURSIVE, (whole, name: string) => (interfaceOf(name, contract) ? name : whole))
    .replaceAll(/^export declare const (\w+):/gm, (_, name: string) => {
      return `${commentOf(name)}export type ${name} =`;
    })
    .replaceAll(/^\/\/# sourceMappingURL=.*$/gm, '');
  const named = [...new Set(interfaces)].map(
    (name) => `${commentOf(name)}${interfaceOf(name, contract)}\n`,
  );
  const types = inferred + named.join('');
  const foreign = /\b(?:import|shapes|zod)\b|\bz\./.exec(types.replaceAll(/\/\*\*.*?\*\//gs, ''));
  if (foreign) throw new Error(`a shape is not plain: ${around(types, foreign[0])}`);
  return types;
}

function interfaceOf(name: string, contract: string): string {
  return new RegExp(`^export interface ${name} \\{.*?^\\}`, 'ms').exec(contract)?.[0] ?? '';
}

export function commentsOf(declarations: string): Map<string, string> {
  const commented =
    /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)export (?:declare )?(?:const|type|interface) (\w+)/g;
  const found = declarations.matchAll(commented);
  return new Map(Array.from(found, ([, comment = '', name = '']) => [name, comment]));
}

function around(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(Math.max(0, at - 80), at + 80);
}
