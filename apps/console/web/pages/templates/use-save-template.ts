import { useMutation } from '@tanstack/react-query';
import { useService } from '../../service/service.ts';
import { toast } from '../../ui/toast.tsx';
import { refreshTemplate, type TemplateKind } from './template-queries.ts';

/** Returns the mutation that saves a draft with `save`, then reads the template again and shows a toast. */
export function useSaveTemplate<
  Draft,
  Saved extends { readonly projectId: string; readonly id: string },
>(kind: TemplateKind, save: (draft: Draft) => Promise<Saved>, sentence: (saved: Saved) => string) {
  const { queries } = useService();
  return useMutation({
    mutationFn: save,
    onSuccess: async (saved) => {
      await refreshTemplate(queries, kind, saved);
      toast(sentence(saved));
    },
  });
}
