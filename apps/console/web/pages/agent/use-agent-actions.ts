import { isConnectionError } from '@session/client';
import type { Agent, NewAgent } from '@session/contract';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useService } from '../../service/service.ts';
import { EXTERNAL_ROLE } from '../session/agents/agent-body.ts';

export function sameAgain(agent: Agent): NewAgent {
  const { role, planId, envTemplateId, config } = agent;
  const { agentTemplateId, agentTemplateVersion, variables } = agent;
  const isExternal = role === EXTERNAL_ROLE;
  if (!agentTemplateId) {
    return isExternal ? { role, planId } : { role, planId, envTemplateId, config };
  }
  const version = agentTemplateVersion ?? undefined;
  if (isExternal) return { role, agentTemplateId, agentTemplateVersion: version, variables };
  return { agentTemplateId, agentTemplateVersion: version, variables, envTemplateId, config };
}

export function useStopAgent(agent: Pick<Agent, 'id' | 'sessionId'>) {
  const { client, queries } = useService();
  return useMutation({
    mutationFn: () => client.agents.stop(agent.id),
    onSuccess: (stopped) => {
      queries.setQueryData(['agent', agent.id], stopped);
      void queries.invalidateQueries({ queryKey: ['session', agent.sessionId, 'agents'] });
      void queries.invalidateQueries({ queryKey: ['agent', agent.id] });
    },
  });
}

/**
 * Returns the mutation that starts an agent. A click that repeats an unanswered request sends the same key, so that no second
 * agent starts.
 */
export function useStartAgent(sessionId: string) {
  const { client, queries } = useService();
  const last = useRef({ request: '', key: '' });
  return useMutation({
    mutationFn: (body: NewAgent) => {
      const request = JSON.stringify(body);
      if (last.current.request !== request) last.current = { request, key: randomKey() };
      return client.agents.start(sessionId, body, { idempotencyKey: last.current.key });
    },
    onSuccess: ({ connect: _secret, ...agent }) => {
      last.current = { request: '', key: '' };
      queries.setQueryData(['agent', agent.id], agent);
      void queries.invalidateQueries({ queryKey: ['session', sessionId, 'agents'] });
    },
    onError: (error) => {
      // After any answer, the next click is a new request. Only a request without an answer keeps its key.
      if (!isConnectionError(error)) last.current = { request: '', key: '' };
    },
  });
}

/** Returns a random key. `randomUUID` exists only on secure pages. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
