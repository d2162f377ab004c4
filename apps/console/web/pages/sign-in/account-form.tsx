import type { ComponentType } from 'react';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useSubmit } from '../../ui/use-submit.ts';

interface AccountFormProps {
  readonly submitLabel: string;
  readonly isSecond?: boolean;
  readonly onSubmit: (form: FormData) => Promise<string>;
  readonly fields: ComponentType<{ readonly error: unknown }>;
  readonly isBesideField: (error: unknown) => boolean;
}

export function AccountForm({
  submitLabel,
  isSecond = false,
  onSubmit,
  fields: Fields,
  isBesideField,
}: AccountFormProps) {
  const { signIn } = useService();
  const { isBusy, error, submit } = useSubmit();
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        submit(async () => signIn.accept(await onSubmit(form)));
      }}
    >
      <Fields error={error} />
      {error && !isBesideField(error) ? <ErrorNotice error={error} /> : null}
      <Button
        type="submit"
        variant={isSecond ? 'secondary' : 'primary'}
        isBusy={isBusy}
        className="mt-1 w-full"
      >
        {submitLabel}
      </Button>
    </form>
  );
}
