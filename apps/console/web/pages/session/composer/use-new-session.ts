import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useService } from '../../../service/service.ts';
import { failureOf } from '../../../ui/failure.ts';
import { toast } from '../../../ui/toast.tsx';
import { refreshSessionLists } from '../session-queries.ts';

/** Creates a session beside this one, and opens it. */
export function useNewSession(projectId: string) {
  const { client, queries } = useService();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => client.sessions.create(projectId, { name: 'New conversation' }),
    onSuccess: async ({ id }) => {
      void refreshSessionLists(queries, projectId);
      await navigate({ to: '/sessions/$sessionId', params: { sessionId: id } });
    },
    onError: (error) => toast(sentenceOf(error), { tone: 'warning' }),
  });
}

function sentenceOf(error: Error): string {
  const { title, detail } = failureOf(error);
  return `${title}. ${detail}`;
}
