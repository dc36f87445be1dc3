import { brand } from "@/brand";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { ButtonLink } from "@/shared/ui";
import "../legal.css";

const QUESTIONS: readonly (readonly [string, string])[] = [
  [
    "Are these real people?",
    "No. Every character is an AI, and says so when you ask. Those who write them are people.",
  ],
  [
    "What does it cost?",
    "Looking around and starting to chat is free. Premium and Deluxe give more messages, and let you create characters and images.",
  ],
  [
    "Who reads my chats?",
    "Nobody, as a rule. A filter checks for what the law and the Community Guidelines forbid; what it is unsure of may be looked at by a person.",
  ],
  [
    "Why do some cards show a curtain?",
    "They are marked NSFW. Log in, confirm that you are over 18, and switch them on at the foot of any page. The same switch hides them again.",
  ],
  [
    "Can I write my own?",
    "Yes, with a paid membership: a name, a voice, a first line and a portrait, which you upload or have drawn.",
  ],
  [
    "Can I leave?",
    "At any time. Cancel the plan in your account; what you paid for stays yours until its end.",
  ],
];

export default function About() {
  const loggedIn = useLoggedIn();
  return (
    <article className="policy">
      <header className="page-head">
        <h1>About {brand.name}</h1>
        <p>{brand.pitch}</p>
      </header>
      <section>
        <h2>A small theatre, open all night</h2>
        <p>
          {brand.name} lets you chat with and create an endless amount of AI characters. You pick someone from
          the bill, they greet you in their own voice, and the scene goes where the two of you take it. You
          can write characters of your own, follow the people who write them well, and have portraits drawn.
        </p>
        <p>
          It is for adults only. Everyone on this stage is an AI, all of them are grown up, and adult themes
          stay behind the curtain until you ask for them.
        </p>
      </section>
      <section id="faq">
        <h2>Questions we are asked</h2>
        <dl className="faq">
          {QUESTIONS.map(([question, answer]) => (
            <div key={question}>
              <dt>{question}</dt>
              <dd>{answer}</dd>
            </div>
          ))}
        </dl>
      </section>
      <div className="chips">
        <ButtonLink look="lit" to={loggedIn ? paths.forYou : paths.signup}>
          {loggedIn ? "Find someone to talk to" : "Get Started"}
        </ButtonLink>
        <ButtonLink to={paths.legal}>Legal</ButtonLink>
      </div>
    </article>
  );
}
