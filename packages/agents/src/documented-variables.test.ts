import { expect, test } from 'vitest';
import type { AgentVariable } from './agent-variable.ts';
import { CATALOGUE } from './catalogue.ts';

const HEAD = `# Variables of agents

The variables that an environment template can set, by the roles that read them. An agent as a process gets the variables of its own
role and no other. In a pod every variable reaches the agent, and the values of all others are masked in its log, like those of the
variables marked *secret*. \`GET /agent-types\` has the same list for programs. Starting an agent with \`?dryRun=true\` names each faulty value; an agent that is started with one ends as \`bad_configuration\`.
`;

test('docs/agent-variables.md lists every variable of every role (to write it again: npm test -- -u)', async () => {
  const rolesByRow = new Map<string, string[]>();
  for (const { name, variables } of CATALOGUE) {
    for (const row of variables.map(rowOf)) {
      rolesByRow.set(row, [...(rolesByRow.get(row) ?? []), `\`${name}\``]);
    }
  }
  const rowsByRoles = Map.groupBy(rolesByRow.keys(), (row) => rolesByRow.get(row)?.join(', '));
  const sections = Array.from(
    rowsByRoles,
    ([roles, rows]) =>
      `\n## ${roles}\n\n| variable | default | meaning |\n|---|---|---|\n${rows.join('')}`,
  );
  await expect(HEAD + sections.join('')).toMatchFileSnapshot('../../../docs/agent-variables.md');
});

function rowOf({ name, required, secret, description, default: value }: AgentVariable): string {
  const marks = [...(required ? ['required'] : []), ...(secret ? ['secret'] : [])];
  const named = marks.length > 0 ? `\`${name}\` *(${marks.join(', ')})*` : `\`${name}\``;
  return `| ${named} | ${value ?? ''} | ${description} |\n`;
}
