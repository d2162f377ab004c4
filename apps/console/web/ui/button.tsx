import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Tooltip } from './tooltip.tsx';

export interface ButtonLook {
  /** `primary` is the one main action of a view; `danger` deletes or ends something for good. */
  readonly variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  readonly size?: 'small' | 'medium' | 'large';
}

// Where the system chooses the colours, a transparent border is drawn, and a background is not.
const VARIANTS = {
  primary: 'border border-transparent bg-iris text-on-iris hover:bg-iris/90 active:bg-iris/80',
  secondary: 'border border-line bg-surface text-ink hover:border-ink-3 active:bg-sunken',
  quiet: 'text-ink-2 hover:bg-ink/6 hover:text-ink active:bg-ink/10',
  danger: 'border border-transparent bg-ink text-paper hover:bg-ink/90 active:bg-ink/80',
} as const;

const SIZES = {
  small: 'h-7 gap-1.5 px-2.5 text-control',
  medium: 'h-9 gap-2 px-3.5 text-control',
  large: 'h-12 gap-2.5 px-6 text-body',
} as const;

const BASE =
  'inline-flex shrink-0 cursor-pointer items-center justify-center rounded-control font-medium whitespace-nowrap transition-colors select-none aria-disabled:cursor-not-allowed aria-disabled:opacity-50';

function buttonClass({ variant = 'secondary', size = 'medium' }: ButtonLook = {}): string {
  return classNames(BASE, VARIANTS[variant], SIZES[size]);
}

type ButtonProps = Readonly<Omit<ComponentProps<'button'>, 'style'>> &
  ButtonLook & {
    /** Whether the action is running. A busy button keeps its focus, and does nothing when it is pressed. */
    readonly isBusy?: boolean;
    readonly icon?: ReactNode;
  };

/** A disabled or busy button can still be focused, so that nobody loses their place. */
export function Button({
  variant = 'secondary',
  size = 'medium',
  isBusy = false,
  icon,
  className,
  type = 'button',
  disabled = false,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const isOff = disabled || isBusy;
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => (isOff ? event.preventDefault() : onClick?.(event))}
      className={classNames(buttonClass({ variant, size }), isBusy && 'animate-breathe', className)}
    >
      {icon}
      {children}
    </button>
  );
}

type IconButtonProps = Readonly<Omit<ComponentProps<'button'>, 'style' | 'aria-label'>> & {
  /** What the button does: its name for assistive technology, and its tooltip. */
  readonly label: string;
  readonly shortcut?: string;
  readonly variant?: ButtonLook['variant'];
  readonly isPressed?: boolean;
};

export function IconButton({
  label,
  shortcut,
  variant = 'quiet',
  isPressed,
  className,
  type = 'button',
  disabled = false,
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label} shortcut={shortcut}>
      <button
        {...rest}
        type={type}
        aria-label={label}
        aria-pressed={isPressed}
        aria-disabled={disabled || undefined}
        onClick={(event) => (disabled ? event.preventDefault() : onClick?.(event))}
        // A caller may give another size. The default is then left out, because of two classes for one property, their order in
        // the style sheet decides.
        className={classNames(
          BASE,
          VARIANTS[variant],
          !className?.includes('size-') && 'size-8',
          className,
        )}
      />
    </Tooltip>
  );
}

function ButtonAnchor({
  variant,
  size,
  className,
  children,
  ...rest
}: ComponentProps<'a'> & ButtonLook) {
  const look = { ...(variant && { variant }), ...(size && { size }) };
  return (
    <a {...rest} className={classNames(buttonClass(look), className)}>
      {children}
    </a>
  );
}

export const ButtonLink = createLink(ButtonAnchor);
