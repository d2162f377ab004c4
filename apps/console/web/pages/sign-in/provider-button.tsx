import { keepBegunSignIn } from '../../service/provider-sign-in.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useSubmit } from '../../ui/use-submit.ts';

interface ProviderButtonProps {
  readonly name: string;
  readonly from: string | undefined;
}

export function ProviderButton({ name, from }: ProviderButtonProps) {
  const { client } = useService();
  const { isBusy, error, submit } = useSubmit();
  const begin = async () => {
    const { url, handle } = await client.signIn.start();
    keepBegunSignIn({ handle, from });
    location.assign(url);
  };
  return (
    <div className="mt-6 grid gap-2">
      <Button className="w-full" isBusy={isBusy} onClick={() => submit(begin)}>
        <span className="truncate">Sign in with {name}</span>
      </Button>
      {error ? <ErrorNotice error={error} className="mt-2" /> : null}
    </div>
  );
}
