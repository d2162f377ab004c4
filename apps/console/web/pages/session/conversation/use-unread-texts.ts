import type { TimelineItem } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useService } from '../../../service/service.ts';
import { agentTypesQuery, canRead, titleOf } from '../../agent/agent-queries.ts';
import { agentsQuery } from '../session-queries.ts';
import { isUndelivered, unreadTexts } from './unread-texts.ts';

const NONE: ReadonlyMap<string, string> = new Map();

export function useUnreadTexts(
  sessionId: string,
  items: readonly TimelineItem[],
): ReadonlyMap<string, string> {
  const { client } = useService();
  const { data: agents } = useQuery(agentsQuery(client, sessionId));
  const { data: types } = useQuery(agentTypesQuery(client));
  return useMemo(() => {
    if (!agents || !items.some(isUndelivered)) return NONE;
    const readers = agents.map((agent) => ({
      title: titleOf(types, agent.role),
      identityEnd: agent.id.slice(-8),
      createdAt: agent.createdAt,
      readsTexts: canRead(types, agent),
      isStopped: agent.status === 'Stopped',
    }));
    return unreadTexts(items, readers);
  }, [agents, types, items]);
}
