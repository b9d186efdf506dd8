import { Braces, Command, PanelsTopLeft, SquareTerminal } from 'lucide-react'
import { Mark } from '../../components/Mark.tsx'
import { Scene } from './Scene.tsx'

const editors = [
  { name: 'VS Code', Icon: PanelsTopLeft },
  { name: 'Cursor', Icon: Command },
  { name: 'Windsurf', Icon: SquareTerminal },
  { name: 'VSCodium', Icon: Braces },
]

export function EditorsScene() {
  return (
    <Scene label="One account, connected to VS Code, Cursor, Windsurf and VSCodium">
      <div className="flex flex-col items-center">
        <div className="flex items-center gap-3 rounded-card border bg-surface py-3 pr-5 pl-3.5 text-sm shadow-card">
          <Mark className="size-8" />
          <span>
            <span className="block font-medium">Your account</span>
            <span className="block text-muted text-xs tabular-nums">1,500 credits</span>
          </span>
        </div>
        <span className="h-7 w-px bg-line-strong" />
        <div className="grid w-full grid-cols-2 gap-3">
          {editors.map(({ name, Icon }) => (
            <div
              key={name}
              className="flex items-center gap-3 rounded-card border bg-surface p-3.5 text-sm shadow-low"
            >
              <span className="grid size-8 shrink-0 place-items-center rounded-control bg-sunken text-muted">
                <Icon className="size-4" />
              </span>
              <span className="min-w-0">
                <span className="block truncate font-medium">{name}</span>
                <span className="flex items-center gap-1.5 text-muted text-xs">
                  <span className="size-1.5 rounded-full bg-positive" />
                  Connected
                </span>
              </span>
            </div>
          ))}
        </div>
      </div>
    </Scene>
  )
}
