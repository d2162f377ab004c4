import type { Session } from '@session/contract';
import { useMutation } from '@tanstack/react-query';
import { useService } from '../../../service/service.ts';
import { downloadText } from '../../../ui/download-text.ts';
import { failureSentence } from '../../../ui/failure.ts';
import { toast } from '../../../ui/toast.tsx';

type Format = 'jsonl' | 'markdown';

const TYPES = { jsonl: 'application/jsonl', markdown: 'text/markdown' } as const;

export function useExport({ id, name }: Pick<Session, 'id' | 'name'>) {
  const { client } = useService();
  return useMutation({
    mutationFn: async (format: Format) => {
      const parts: string[] = [];
      for await (const part of client.messages.export(id, { format })) parts.push(part);
      downloadText(fileNameOf(name, format), parts, TYPES[format]);
    },
    onError: (error) => {
      toast(`The export failed: ${failureSentence(error)}`, { tone: 'warning' });
    },
  });
}

const EXTENSIONS = { jsonl: 'jsonl', markdown: 'md' } as const;
const MAX_LENGTH = 60;

export function fileNameOf(sessionName: string, format: keyof typeof EXTENSIONS): string {
  const words = sessionName
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, '');
  return `${words.toLowerCase() || 'session'}.${EXTENSIONS[format]}`;
}
