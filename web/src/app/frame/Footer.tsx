import { Link } from "react-router";
import { brand } from "@/brand";
import { useInstall } from "@/shared/install";
import { turnNsfwOff, useAgeQuestion } from "@/shared/nsfw";
import { paths } from "@/shared/paths";
import { useRoot } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Logo, Switch } from "@/shared/ui";

function NsfwSwitch() {
  const nsfw = useRoot((state) => state.nsfw);
  const ask = useAgeQuestion((state) => state.ask);
  return (
    <Switch checked={nsfw} onChange={(on) => (on ? ask() : void turnNsfwOff())}>
      Show NSFW characters
    </Switch>
  );
}

export function Footer() {
  const install = useInstall((state) => state.show);
  return (
    <footer className="footer">
      <div className="footer-in">
        <div>
          <span className="logo logo-foot">
            <Logo />
          </span>
          <p className="blurb">
            {brand.name} lets you chat with and create an endless amount of AI characters. For adults only.
            Everyone on this stage is an AI.
          </p>
          <NsfwSwitch />
        </div>
        <div>
          <h2>Platform</h2>
          <ul>
            <li>
              <Link to={paths.tag("nsfw")}>AI Chat</Link>
            </li>
            <li>
              <Link to={paths.tag("female")}>AI Girlfriends</Link>
            </li>
            <li>
              <Link to={paths.tag("male")}>AI Boyfriends</Link>
            </li>
            <li>
              <Link to={paths.createImage}>Image Generator</Link>
            </li>
          </ul>
        </div>
        <div>
          <h2>Resources</h2>
          <ul>
            <li>
              <button type="button" onClick={() => toast.info("Affiliate program coming soon!")}>
                Become an Affiliate
              </button>
            </li>
            <li>
              <a href={brand.supportUrl} target="_blank" rel="noopener noreferrer">
                Support
              </a>
            </li>
            <li>
              <Link to={{ pathname: paths.about, hash: "faq" }}>FAQ</Link>
            </li>
            <li>
              <button type="button" onClick={install}>
                Download
              </button>
            </li>
            <li>
              <Link to={paths.legal}>Legal</Link>
            </li>
            <li>
              <Link to={paths.legalPage("guidelines")}>Community Guidelines</Link>
            </li>
            <li>
              <Link to={paths.legalPage("content-removal")}>Content removal</Link>
            </li>
            <li>
              <Link to={paths.complaint}>Complaints</Link>
            </li>
          </ul>
        </div>
      </div>
      <p className="small">
        <span>18 and over. You are responsible for what you generate.</span>
        <span className="num">
          © {new Date().getFullYear()} {brand.legalEntity}
        </span>
      </p>
    </footer>
  );
}
