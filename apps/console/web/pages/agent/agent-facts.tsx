import type { Agent } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { onlyIf } from '../../service/queries.ts';
import { isMissing, useService } from '../../service/service.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Fact } from '../../ui/fact.tsx';
import { Time } from '../../ui/time.tsx';
import { agentTemplateQuery, envTemplateQuery, planQuery } from '../templates/template-queries.ts';

export function AgentFacts({ agent }: { readonly agent: Agent }) {
  const { client } = useService();
  const { agentTemplateId, planId, envTemplateId } = agent;
  const agentTemplate = useQuery({
    ...agentTemplateQuery(client, agentTemplateId ?? ''),
    ...onlyIf(Boolean(agentTemplateId)),
  });
  const plan = useQuery({ ...planQuery(client, planId ?? ''), ...onlyIf(planId !== null) });
  const template = useQuery({
    ...envTemplateQuery(client, envTemplateId ?? ''),
    ...onlyIf(envTemplateId !== null),
  });
  return (
    <section aria-labelledby="facts" className="grid gap-3 border-line border-t p-4 sm:px-6">
      <h2 id="facts" className="font-strong text-control">
        Started with
      </h2>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-control">
        {agentTemplateId ? (
          <Fact name="Template">
            {nameOf(agentTemplate, agentTemplateId)}, version {agent.agentTemplateVersion}
          </Fact>
        ) : null}
        {Object.entries(agent.variables ?? {}).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        <Fact name="Environment">
          {envTemplateId === null ? 'No template' : nameOf(template, envTemplateId)}
        </Fact>
        {agentTemplateId ? null : (
          <Fact name="Plan">{planId === null ? 'No plan' : nameOf(plan, planId)}</Fact>
        )}
        {Object.entries(agent.config).map(([name, value]) => (
          <Fact key={name} name={SETTING_NAMES.get(name) ?? name}>
            {SETTING_VALUES.get(`${name} ${value}`) ?? value}
          </Fact>
        ))}
        <Fact name="Restarts">{agent.restarts}</Fact>
        {agent.exitCode === null ? null : <Fact name="Exit code">{agent.exitCode}</Fact>}
        <Fact name="Requested">
          <Time at={agent.createdAt} />
        </Fact>
        <Fact name="Id">
          <span className="flex min-w-0 items-center gap-1">
            <code className="truncate font-mono text-label">{agent.id}</code>
            <CopyButton text={agent.id} label="Copy the agent’s id" />
          </span>
        </Fact>
      </dl>
    </section>
  );
}

const SETTING_NAMES = new Map([
  ['echoMode', 'It echoes'],
  ['restart', 'When it crashes'],
]);

const SETTING_VALUES = new Map([
  ['echoMode text', 'Texts'],
  ['echoMode audio', 'Speech'],
  ['echoMode both', 'Texts and speech'],
  ['restart on-failure', 'It starts again, three times at most'],
  ['restart never', 'It stays stopped'],
]);

interface Named {
  readonly data: { readonly name: string } | undefined;
  readonly error: Error | null;
}

function nameOf({ data, error }: Named, id: string): string {
  return data?.name ?? (isMissing(error) ? 'deleted since' : id);
}
