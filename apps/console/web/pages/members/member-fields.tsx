import type { MemberRole } from '@session/contract';
import { ROLE_SENTENCES, roleName } from '../../service/permissions.ts';
import { Select, TextField } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';

interface MemberFieldsProps {
  readonly roles: readonly MemberRole[];
  readonly emailError: string | undefined;
}

export function MemberFields({ roles, emailError }: MemberFieldsProps) {
  return (
    <>
      <TextField
        label="E-mail"
        name="email"
        type="email"
        required
        autoComplete="off"
        error={emailError}
      />
      <Select label="Role" name="role" defaultValue="MEMBER">
        {roles.map((role) => (
          <option key={role} value={role}>
            {roleName(role)}
          </option>
        ))}
      </Select>
      <ul className="grid gap-1.5 text-ink-3 text-label">
        {roles.map((role) => (
          <li key={role}>
            <b className="font-medium text-ink-2">{roleName(role)}:</b> {ROLE_SENTENCES[role]}
          </li>
        ))}
      </ul>
    </>
  );
}

export function memberIn(form: FormData, roles: readonly MemberRole[]) {
  const role = roles.find((name) => name === form.get('role')) ?? 'MEMBER';
  return { email: formText(form, 'email').trim(), role };
}
