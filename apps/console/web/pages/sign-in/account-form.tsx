import type { ComponentProps } from 'react';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';

interface AccountFormProps extends Pick<ComponentProps<typeof Form>, 'isBesideField' | 'children'> {
  readonly submitLabel: string;
  readonly isSecond?: boolean;
  readonly onSubmit: (form: FormData) => Promise<string>;
}

export function AccountForm({ submitLabel, isSecond, onSubmit, ...form }: AccountFormProps) {
  const { signIn } = useService();
  return (
    <Form
      {...form}
      onSubmit={async (data) => signIn.accept(await onSubmit(data))}
      renderActions={(isBusy) => (
        <Button
          type="submit"
          variant={isSecond ? 'secondary' : 'primary'}
          isBusy={isBusy}
          className="mt-1 w-full"
        >
          {submitLabel}
        </Button>
      )}
    />
  );
}
