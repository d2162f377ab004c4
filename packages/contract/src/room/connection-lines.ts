const JSON_VARIABLES: ReadonlySet<string> = new Set(['PLAN', 'CONVERSATION', 'AGENT_DEFINITION']);
const JSON_ESCAPES: Readonly<Record<string, string>> = {
  '\\\\': '\\u005c',
  "'": '\\u0027',
  $: '\\u0024',
};

interface Connection {
  readonly [name: string]: string | undefined;
  readonly expiresAt: string;
}

/**
 * Returns the lines of a `.env` file, from which shells, Node and dotenv libraries read the same values. Their escapes
 * for an apostrophe differ. So an apostrophe becomes `\u0027` in a JSON value, and a typographic apostrophe in any
 * other value.
 */
export function connectionLines({ expiresAt, ...variables }: Connection): string {
  const lines = Object.entries(variables).map(([name, value = '']) => {
    const quotable = JSON_VARIABLES.has(name)
      ? value.replaceAll(/\\\\|'|\$/g, (text) => JSON_ESCAPES[text] ?? text)
      : value.replaceAll("'", '’');
    return `${name}='${quotable}'\n`;
  });
  return `# The token lets the agent join until ${expiresAt}.\n${lines.join('')}`;
}
