export function SectionHeading({ id, title, text }: { id: string; title: string; text: string }) {
  return (
    <div className="max-w-2xl">
      <h2 id={id} className="text-3xl tracking-[-0.028em] sm:text-[2.5rem] sm:leading-[1.12]">
        {title}
      </h2>
      <p className="mt-4 text-[17px] text-muted leading-relaxed">{text}</p>
    </div>
  )
}
