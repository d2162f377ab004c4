import { expect, test } from 'vitest';
import { isAtLeast, keyRoles, mayEnd, mayRemove, roleName, rolesToAdd } from './permissions.ts';

test('each role may do what the role before it may, and an unknown role nothing', () => {
  expect(isAtLeast('OWNER', 'ADMIN')).toBe(true);
  expect(isAtLeast('ADMIN', 'ADMIN')).toBe(true);
  expect(isAtLeast('MEMBER', 'ADMIN')).toBe(false);
  expect(isAtLeast('AUDITOR', 'MEMBER')).toBe(false);
  expect(isAtLeast(undefined, 'MEMBER')).toBe(false);
  expect(roleName('AUDITOR')).toBe('AUDITOR');
});

test('an admin adds and removes members, an owner everyone', () => {
  expect([rolesToAdd('MEMBER'), rolesToAdd('ADMIN'), rolesToAdd('OWNER')]).toEqual([
    [],
    ['MEMBER'],
    ['MEMBER', 'ADMIN', 'OWNER'],
  ]);
  expect(mayRemove('ADMIN', 'MEMBER')).toBe(true);
  expect(mayRemove('ADMIN', 'ADMIN')).toBe(false);
  expect(mayRemove('ADMIN', 'AUDITOR')).toBe(false);
  expect(mayRemove('OWNER', 'OWNER')).toBe(true);
});

test('an admin creates keys of members, an owner those of admins too', () => {
  expect([keyRoles('MEMBER'), keyRoles('ADMIN'), keyRoles('OWNER'), keyRoles('AUDITOR')]).toEqual([
    [],
    ['MEMBER'],
    ['MEMBER', 'ADMIN'],
    [],
  ]);
});

test('a member ends what they started, an admin everything', () => {
  expect(mayEnd('MEMBER', 'ada', 'ada')).toBe(true);
  expect(mayEnd('MEMBER', 'ada', 'ravi')).toBe(false);
  expect(mayEnd('ADMIN', 'ada', 'ravi')).toBe(true);
});
