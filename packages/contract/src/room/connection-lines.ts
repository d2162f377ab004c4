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
 * Returns the lines of a `.env` file, from which shells, Node and dotenv libraries read the same values. They agree on
 * no escape for an apostrophe, so it becomes `\u0027` in JSON, and a typographic one in a text.
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
