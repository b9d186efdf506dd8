export type Role = 'org:admin' | 'org:member'

const MEMBER_PERMISSIONS = ['org:sys_memberships:read', 'org:sys_billing:read']

/** The browser components show or hide each button by these. */
const ADMIN_PERMISSIONS = [
  'org:sys_profile:manage',
  'org:sys_profile:delete',
  'org:sys_memberships:read',
  'org:sys_memberships:manage',
  'org:sys_domains:read',
  'org:sys_domains:manage',
  'org:sys_billing:read',
  'org:sys_billing:manage',
]

type RoleFacts = { key: Role; name: string; description: string; permissions: string[] }

export const roles: Record<Role, RoleFacts> = {
  'org:admin': {
    key: 'org:admin',
    name: 'Admin',
    description: 'Role with elevated permissions',
    permissions: ADMIN_PERMISSIONS,
  },
  'org:member': {
    key: 'org:member',
    name: 'Member',
    description: 'Role with non-privileged permissions',
    permissions: MEMBER_PERMISSIONS,
  },
}

/** Roles are written without their prefix in session tokens. */
export function shortRole(role: Role): string {
  return role.replace(/^org:/, '')
}
