import { type Fault, matchLines, type Repository } from '../source-file.ts';

const OPENING = /^[ \t]*\/\*\*\s*(?:\* )?(?<verb>Gives|Tells|Lets)\b/gm;

/** Finds doc comments that begin with a verb that says little: "Gives", "Tells" or "Lets". */
export function checkDocComments({ packages }: Repository): Fault[] {
  return packages
    .flatMap(({ files }) => files)
    .flatMap(({ path, text }) =>
      matchLines(text, OPENING).map(({ line, groups: { verb } }) => ({
        path,
        line,
        advice: `Begin with what the code does (Returns, Stores, Throws …), not with "${verb}".`,
      })),
    );
}
