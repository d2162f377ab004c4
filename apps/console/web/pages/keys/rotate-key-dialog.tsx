import type { ApiKey, IssuedApiKey } from '@session/client';
import { useService } from '../../service/service.ts';
import { RotationDialog } from '../../ui/rotation-dialog.tsx';
import { refreshKeys } from './keys-query.ts';

interface RotateKeyDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onIssued: (issued: IssuedApiKey) => void;
  readonly apiKey: ApiKey;
}

export function RotateKeyDialog({ apiKey, onIssued, ...dialog }: RotateKeyDialogProps) {
  const { client, queries } = useService();
  const { id, name, projectId } = apiKey;
  const rotate = async (keepOldHours: number) => {
    try {
      onIssued(await client.apiKeys.rotate(id, { keepOldHours }));
    } finally {
      refreshKeys(queries, projectId);
    }
  };
  return (
    <RotationDialog
      {...dialog}
      title={`Rotate “${name}”`}
      description="The key gets a new secret. It keeps its role and its end."
      label="Hours for which the old secret stays valid"
      onRotate={rotate}
    />
  );
}
