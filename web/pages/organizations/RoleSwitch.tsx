import { useId } from 'react'
import { Segments } from '../../ui/Segments.tsx'

type Role = 'member' | 'admin'

const roles = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
] as const

export function RoleSwitch({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  return <Segments label="Role" name={useId()} value={value} options={roles} onChange={onChange} />
}
