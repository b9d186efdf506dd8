import {
  siCloudflare,
  siDropbox,
  siFigma,
  siGithub,
  siGitlab,
  siGoogledrive,
  siJira,
  siLinear,
  siMattermost,
  siMongodb,
  siNotion,
  siStripe,
  siSupabase,
  siVercel,
} from 'simple-icons'
import { BrandIcon } from './BrandIcon.tsx'

/** Issue trackers, code hosts, chat, storage, databases, payments, design, cloud and notes. */
const tools = [
  siLinear,
  siJira,
  siGithub,
  siGitlab,
  siMattermost,
  siDropbox,
  siGoogledrive,
  siSupabase,
  siMongodb,
  siStripe,
  siFigma,
  siCloudflare,
  siVercel,
  siNotion,
]

export function IntegrationsSection() {
  return (
    <section aria-labelledby="integrations-title" className="border-t bg-surface">
      <div className="mx-auto max-w-6xl px-5 py-12 sm:px-8 sm:py-14">
        <h2 id="integrations-title" className="text-center font-medium text-muted text-sm tracking-normal">
          Works with the tools you already use, through the Model Context Protocol
        </h2>
        <ul className="mt-8 grid grid-cols-2 gap-x-4 gap-y-6 min-[400px]:grid-cols-3 sm:grid-cols-5 lg:grid-cols-7">
          {tools.map((icon) => (
            <li
              key={icon.slug}
              className="flex items-center justify-center gap-2.5 font-semibold text-base text-faint tracking-tight transition-colors hover:text-ink"
            >
              <BrandIcon icon={icon} className="size-5 shrink-0" />
              {icon.title}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
