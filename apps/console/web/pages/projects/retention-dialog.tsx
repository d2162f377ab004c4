import { useService } from '../../service/service.ts';
import { TextField } from '../../ui/field.tsx';
import { keptFor } from '../audit/audit-texts.ts';
import { type ProjectDialogProps, ProjectSettingDialog } from './project-setting-dialog.tsx';

export function RetentionDialog({ name, ...dialog }: ProjectDialogProps) {
  const { client } = useService();
  const save = async (typed: string) => {
    const days = typed === '' ? null : Number(typed);
    await client.projects.setRetention(dialog.projectId, days);
    return `Histories are kept ${keptFor(days)}.`;
  };
  return (
    <ProjectSettingDialog
      {...dialog}
      title={`How long “${name}” keeps histories`}
      description="Sessions that were closed earlier, and older messages of active sessions, are deleted within a day. This cannot be undone."
      field="retentionDays"
      save={save}
    >
      {({ retentionDays }, error) => (
        <TextField
          label="Days"
          name="retentionDays"
          type="number"
          min={1}
          max={3650}
          step={1}
          defaultValue={retentionDays ?? ''}
          hint="Leave it empty to keep them for ever."
          autoComplete="off"
          error={error}
        />
      )}
    </ProjectSettingDialog>
  );
}
