import { useQuery } from '@tanstack/react-query';
import { signInMethodsQuery } from '../../service/provider-sign-in.ts';
import { useService } from '../../service/service.ts';
import { TextLink } from '../../ui/text-link.tsx';

/** Says what to do about a forgotten password, where people have one. */
export function ForgottenHint({ search }: { readonly search: { readonly from?: string } }) {
  const { client } = useService();
  const { data: methods } = useQuery(signInMethodsQuery(client));
  if (!methods?.passwords) return null;
  return (
    <p className="mt-2 text-control text-ink-2">
      {methods.mail ? (
        <TextLink to="/forgotten-password" search={search}>
          Forgotten your password?
        </TextLink>
      ) : (
        'Forgotten your password? Whoever operates this service can give you a link.'
      )}
    </p>
  );
}
