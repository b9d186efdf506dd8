import { Code } from './Code.tsx'
import { Scene } from './Scene.tsx'
import { completion } from './sceneCode.ts'

export function CompletionScene() {
  return (
    <Scene label="A function whose body is suggested in grey, to be accepted with the Tab key">
      <div className="relative overflow-hidden rounded-card border bg-surface shadow-card">
        <Code lines={completion} />
        <p className="absolute right-4 bottom-4 flex items-center gap-2 text-faint text-xs">
          <kbd className="rounded-md border border-line-strong bg-sunken px-1.5 py-0.5 font-medium font-sans text-ink shadow-low">
            Tab
          </kbd>
          to accept
        </p>
      </div>
    </Scene>
  )
}
